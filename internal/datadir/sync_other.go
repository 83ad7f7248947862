//go:build !linux

package datadir

import "os"

// SyncsData says whether [SyncData] writes less than [os.File.Sync].
const SyncsData = false

// SyncData makes the data of f durable.
func SyncData(f *os.File) error { return f.Sync() }
