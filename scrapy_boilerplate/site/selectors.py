"""The selectors of site rules: CSS and XPath that take linear time on any page.

libxml2 evaluates `div div p` in cubic time on nested elements, sorts the results of `div > div` in
quadratic time, and cannot be interrupted. Here a selector goes down the tree one step at a time: a
descendant step from the outermost elements, a child step from each element.
"""

import re
from collections.abc import Iterator
from typing import Any

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_boilerplate.page.reading import find_roots, walk_nodes

UNSUPPORTED = (
    "only descendants, children, names, ids, classes, attributes, positions and a final /text() "
    "are supported, because others can take too long on a large page"
)

# the XPath of the supported selectors: paths joined by "|", of steps with predicates
_NAME = r"[^\W\d][\w.-]*(?![\w.(-])"
_ATTRIBUTE = rf"@(?:{_NAME}:)?{_NAME}"
_STRING = r"""'[^']*'|"[^"]*\""""
_CALL = (
    r"(?:position|last|name|local-name|true|false)\(\s*\)|(?:not|contains|starts-with|concat|"
    r"normalize-space|translate|string-length|substring(?:-before|-after)?)\((?!\s*\))"
)
_PREDICATE = rf"\[(?:[\s\d=!<>+,()-]|and\b|or\b|mod\b|{_CALL}|{_ATTRIBUTE}|{_STRING})*\]"
_STEP = rf"(?:{_ATTRIBUTE}|{_NAME}|\*)(?:{_PREDICATE})*"
_PREFIX = r"(?:\.?//?|descendant-or-self::)"
_PATH = rf"{_PREFIX}{_STEP}(?://?{_STEP})*"
# libxml2 sorts text nodes in quadratic time, so they are read from their elements
_TEXT = r"(/text\(\))?"

_is_supported = re.compile(rf"{_PATH}{_TEXT}(?:\s*\|\s*{_PATH}{_TEXT})*").fullmatch
_find_paths = re.compile(rf"({_PATH}){_TEXT}").findall
_read_prefix = re.compile(_PREFIX).match
# each step, with the separator before it
_find_steps = re.compile(rf"(//?|^)({_STEP})").findall
_find_strings = re.compile(_STRING).sub
# attributes, and predicates that may be a position
_is_counted = re.compile(r"^@|\[[^\]]*(?:\d|position|last|string-length)").search

# beginnings of an XPath; everything else is CSS
_is_xpath = re.compile(r"\(*\.{0,2}/|\(").match
_EXAMPLE = etree.HTML("<html><body><div id=a class=b><p>Text</p></div></body></html>")


class _Translator(HTMLTranslator):
    def xpath_descendant_combinator(self, left: Any, right: Any) -> Any:
        return left.join("//", right)


class Selector:
    """A CSS selector or an XPath. Raises ValueError for an invalid or unsupported one."""

    def __init__(self, written: str) -> None:
        try:
            path = written if _is_xpath(written) else _Translator().css_to_xpath(written)
            is_list = isinstance(etree.XPath(path)(_EXAMPLE), list)
        except (SelectorError, etree.XPathError) as error:
            raise ValueError(str(error) or "it cannot be read") from None
        if not is_list:
            raise ValueError("it returns a number, a string or a boolean, not elements")
        if not _is_supported(path):
            raise ValueError(UNSUPPORTED)
        self._paths = [(_compile(each), bool(text)) for each, text in _find_paths(path)]

    def find_elements(self, tree: etree._Element) -> list[etree._Element]:
        """Return the elements that match, or that have the texts that match."""
        selected = [node for nodes, _ in self._find_nodes(tree) for node in nodes]
        return [node for node in selected if isinstance(node, etree._Element)]

    def find_values(self, tree: etree._Element) -> Iterator[etree._Element | str]:
        """Yield the elements, attributes and texts that match."""
        for nodes, is_text in self._find_nodes(tree):
            for node in nodes:
                if not is_text:
                    yield node
                elif isinstance(node, etree._Element):
                    yield from filter(None, (node.text, *(child.tail for child in node)))

    def _find_nodes(self, tree: etree._Element) -> Iterator[tuple[list[Any], bool]]:
        """Yield for each path its elements or attributes, and whether it selects their texts."""
        for steps, is_text in self._paths:
            nodes: list[Any] = [tree]
            try:
                for goes_down, step in steps:
                    contexts = _find_outermost(tree, nodes) if goes_down else nodes
                    nodes = [each for node in contexts for each in step(node)]
            except etree.XPathError:  # more nodes than libxml2 collects, ten million
                continue
            yield nodes, is_text


def _compile(path: str) -> list[tuple[bool, etree.XPath]]:
    prefix = _read_prefix(path)[0]  # type: ignore[index]
    steps: list[tuple[bool, str]] = []
    for separator, step in _find_steps(path[len(prefix) :]):
        is_first, is_child = not separator, (separator or prefix) in ("/", "./")
        if is_child:
            steps.append((False, f"{prefix}{step}" if is_first else step))
        # from every element, as in XPath
        elif _is_counted(_find_strings("", step)):
            every = "//*" if is_first and prefix == "//" else "descendant-or-self::*"
            steps += [(not is_first, every), (False, step)]
        elif is_first:
            axis = {"//": "/descendant::", ".//": "descendant::"}.get(prefix, prefix)
            steps.append((False, f"{axis}{step}"))
        else:
            steps.append((True, f"descendant::{step}"))
    return [(goes_down, etree.XPath(step)) for goes_down, step in steps]


def _find_outermost(tree: etree._Element, nodes: list[Any]) -> list[etree._Element]:
    elements = {node for node in nodes if isinstance(node, etree._Element)}
    if len(elements) < 2:
        return list(elements)
    outermost = []
    for root in find_roots(tree):
        walk = walk_nodes(root)
        for event, node in walk:
            if event == "start" and node in elements:
                outermost.append(node)
                walk.skip_subtree()
    return outermost
