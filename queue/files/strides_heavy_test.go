//go:build heavy

package files

const (
	strides    = 1    // damage the first of so many places
	damageAt   = 5000 // random places to damage
	histories  = 20   // hundreds of histories of a failing disk
	poolRounds = 10   // of many stores that share few open files
)
