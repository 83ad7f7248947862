//go:build !heavy

package nats_test

const defaultRounds = 1
