package files

// Born is born, for the tests outside.
func Born(path string) uint64 { return born(path) }
