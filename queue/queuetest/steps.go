package queuetest

import (
	"context"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// PutAll puts the groups of numbers from 0 to n-1, one by one. Each must be fresh.
func PutAll(t testing.TB, q *queue.Queue, n int) {
	t.Helper()
	for i := range n {
		if fresh, err := q.Put(context.Background(), Group(i)); !fresh || err != nil {
			t.Fatalf("group %d: fresh %v, error %v", i, fresh, err)
		}
	}
}

// Close closes a queue, which must succeed.
func Close(t testing.TB, q *queue.Queue) {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// IDs returns the IDs of the groups that wait, oldest first.
func IDs(q *queue.Queue) (list []string) {
	q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			list = append(list, e.ID)
		}
	})
	return list
}
