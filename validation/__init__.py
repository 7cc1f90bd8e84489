"""Great Expectations suites, one file a dataset, and the gate that nothing is published without."""
