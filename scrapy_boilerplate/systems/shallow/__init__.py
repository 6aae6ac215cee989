"""Kohlschuetter, Fankhauser, Nejdl (WSDM 2010): learnt classifiers over shallow text features."""
