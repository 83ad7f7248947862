//go:build heavy

package codetask

const secondDraws = 300 // of each kind
