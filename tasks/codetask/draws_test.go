//go:build !heavy

package codetask

const secondDraws = 12 // of each kind
