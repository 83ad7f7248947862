//go:build heavy

package journal

// kills is how often TestKill kills.
const kills = 1000
