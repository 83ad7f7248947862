// Package atropos reads and writes the forms of the Atropos trajectory API:
// scored groups, the registrations of trainers and environments, and the files
// into which its reasoning-gym environment dumps rollouts.
//
// Groups are the hot path: [DecodeGroup] makes one pass over the bytes, with its own
// scanner instead of encoding/json. It accepts what the original accepts, including
// numbers in strings and booleans as numbers. It refuses what breaks the original:
// numbers that are not finite, text that is not Unicode, and lengths that do not match.
// The error is an [*Error], which says where the fault is.
package atropos

// Limits on what is read. The caller must bound the size of the text.
const (
	MaxDepth   = 1000     // levels of nested arrays and objects
	maxNumber  = 4300     // bytes of one number
	maxID      = 256      // bytes of a group's ID
	maxEscaped = 64 << 10 // bytes of a key, or of a text that is not free-form, with escapes in it
	maxShown   = 64       // bytes of a bad value that an Error shows
	minRowRoom = 64       // initial capacity for a row of unknown length
)
