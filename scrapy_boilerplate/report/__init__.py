"""The inspection page and the annotator: templates (`templates/`) apart from logic."""
