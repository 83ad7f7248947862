package files

import (
	"encoding/binary"

	"github.com/quintain-rl/quintain/internal/wal"
)

// The salts of a store's files follow from its random identity, so a file of another store is
// recognised, and no client can send bytes that pass for a frame.

// firstSalt is the salt of a new file of this name.
func (m manifest) firstSalt(name string) uint32 {
	return wal.Sum(m.nextSalt(0), []byte(name))
}

// nextSalt is the salt of the file that replaces one with this salt.
func (m manifest) nextSalt(salt uint32) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], m.store)
	return wal.Sum(salt, b[:])
}

// saltOf is the salt of what belongs to a store, but to none of its files.
func saltOf(store uint64) uint32 { return manifest{store: store}.nextSalt(0) }

// mostLag bounds how often a file was replaced since the manifest was written.
const mostLag = 1 << 20

// knows reports whether a file of this name and salt is the store's.
func (m manifest) knows(name string, salt uint32) bool {
	at := m.firstSalt(name)
	if l, ok := m.files[name]; ok {
		at = l.salt
	}
	for range mostLag {
		if at == salt {
			return true
		}
		at = m.nextSalt(at)
	}
	return false
}
