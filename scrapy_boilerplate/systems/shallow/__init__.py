"""Kohlschuetter, Fankhauser, Nejdl (WSDM 2010): learned classifiers over shallow text features."""
