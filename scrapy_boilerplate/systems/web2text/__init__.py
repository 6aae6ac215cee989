"""Web2Text (Vogels, Ganea, Eickhoff 2018): convolutional nets over the collapsed DOM."""
