package queue_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// A producer puts a group, twice by mistake; a consumer leases and acknowledges it.
func Example() {
	ctx := context.Background()
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{}) // or a store of queue/files
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()

	g := &quintain.Group{
		ID:     "sum.v1.s7.l0.41",
		Tokens: [][]quintain.Token{{5, 6, 7}, {5, 6, 8}},
		Masks:  [][]int32{{-100, -100, 7}, {-100, -100, 8}},
		Scores: []float64{1, 0},
	}
	for range 2 {
		fresh, err := q.Put(ctx, g)
		fmt.Println("put:", fresh, err)
	}

	list, err := q.Lease(ctx, queue.Want{Consumer: "trainer", For: time.Minute})
	for _, d := range list {
		fmt.Println("leased:", d.ID, d.Group.Scores, err)
		fmt.Println("acknowledged:", q.Ack(ctx, "trainer", d.Seq))
	}

	fresh, err := q.Put(ctx, g)
	fmt.Println("put:", fresh, err)
	// Output:
	// put: true <nil>
	// put: false <nil>
	// leased: sum.v1.s7.l0.41 [1 0] <nil>
	// acknowledged: <nil>
	// put: false <nil>
}

// A consumer waits for groups without polling.
func ExampleQueue_Changed() {
	ctx := context.Background()
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()

	wait := func() ([]queue.Delivery, error) {
		for {
			changed := q.Changed()
			list, err := q.Lease(ctx, queue.Want{Consumer: "trainer", Max: 8})
			if err != nil || len(list) > 0 {
				return list, err
			}
			var expiry <-chan time.Time
			if at, ok := q.NextExpiry(); ok {
				expiry = time.After(time.Until(at))
			}
			select {
			case <-changed:
			case <-expiry:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
	go q.Put(ctx, &quintain.Group{ID: "a"})
	list, err := wait()
	fmt.Println(len(list), err)
	// Output: 1 <nil>
}
