//go:build !heavy

package files

const (
	strides    = 41  // damage the first of so many places
	damageAt   = 100 // random places to damage
	histories  = 1   // hundreds of histories of a failing disk
	poolRounds = 3   // of many stores that share few open files
)
