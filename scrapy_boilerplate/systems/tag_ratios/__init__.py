"""Systems that weigh words against tags: BTE, MSS, DSC, CETR, CCB, CETD."""
