//go:build !heavy

package pool_test

// queuedRequests is how many requests TestQueuedRequestsBeginAsOthersEnd makes at once: the race detector has room for 8,128 goroutines.
const queuedRequests = 4_000
