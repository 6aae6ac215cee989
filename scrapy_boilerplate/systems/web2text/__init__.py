"""Web2Text (Vogels et al. 2018): convolutional nets over the collapsed DOM."""
