//go:build !heavy

package files

const (
	strides   = 13  // damage the first of so many places
	damageAt  = 500 // random places to damage
	histories = 1   // hundreds of histories of a failing disk
)
