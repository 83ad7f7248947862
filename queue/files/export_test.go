package files

import "github.com/quintain-rl/quintain/internal/datadir"

// Born is [datadir.Born], for the tests outside.
func Born(path string) uint64 { return datadir.Born(path) }
