"""The inspection page and the annotator; `templates` fills the files of `templates/`."""
