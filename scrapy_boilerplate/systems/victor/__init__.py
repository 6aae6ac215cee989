"""Victor (Spousta, Marek, Pecina 2008): a conditional random field over text nodes."""
