// Package atropos reads and writes the forms of the Atropos trajectory API:
// scored groups, the registrations of trainers and environments, and the files
// into which its reasoning-gym environment dumps rollouts.
//
// Groups are the hot path: [DecodeGroup] is one pass over the bytes, with a
// scanner of its own in place of encoding/json. It takes what the original
// takes, numbers in strings and booleans as numbers among it, and refuses what
// poisons the original: numbers that are not finite, text that is not Unicode,
// and lengths that do not match. A refusal is an [*Error], which says where.
package atropos

// Limits of what is read. The size of the text is the caller's to bound.
const (
	MaxDepth   = 1000 // levels of nested arrays and objects
	maxNumber  = 4300 // bytes of one number
	maxID      = 256  // bytes of a group's id
	maxShown   = 64   // bytes of a bad value that an Error shows
	minRowRoom = 64   // elements for which room is made before anything is known of a row
)
