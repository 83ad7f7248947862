// Package atropos reads and writes the forms of the Atropos trajectory API: scored groups,
// the registrations of trainers and environments, and the dump files of its reasoning-gym
// environment.
//
// Groups are the hot path: [DecodeGroup] makes one pass over the bytes, with its own
// scanner instead of encoding/json. It accepts everything that the original accepts,
// including numbers in strings and booleans as numbers. It refuses input that breaks the
// original: non-finite numbers, text that is not Unicode, and mismatched lengths. The error
// is an [*Error] with the place of the fault.
package atropos

// Input limits. The caller must bound the size of the text.
const (
	MaxDepth   = 1000     // levels of nested arrays and objects
	maxNumber  = 4300     // bytes of one number
	maxID      = 256      // bytes of a group's ID
	maxEscaped = 64 << 10 // bytes of a key, or of a text that is not free-form, if it has escapes
	maxShown   = 64       // bytes of a bad value in an Error
	minRowRoom = 64       // initial capacity for a row of unknown length
)
