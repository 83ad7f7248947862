package main

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
)

func TestConsumerPicks(t *testing.T) {
	gate := rollout.NewAdmission(rollout.Gate{Batch: 4, MaxLag: 2}, 5, 0)
	entry := func(seq uint64, sequences int, oldest int32, task string) queue.Entry {
		return queue.Entry{Seq: seq, Sequences: sequences, Oldest: oldest, Task: task}
	}
	for _, test := range []struct {
		why     string
		waiting []queue.Entry
		trainer *trainer
		want    []uint64
	}{
		{"a whole batch, oldest first", []queue.Entry{entry(1, 2, 5, "a"), entry(2, 2, 5, "a"), entry(3, 2, 5, "a")}, nil, []uint64{1, 2}},
		{"less than a batch", []queue.Entry{entry(1, 2, 5, "a")}, nil, nil},
		{"a group that came too late", []queue.Entry{entry(1, 2, 2, "a"), entry(2, 2, 3, "a"), entry(3, 2, 5, "a")}, nil, []uint64{2, 3}},
		{"versions that are not told", []queue.Entry{entry(1, 4, -1, "a")}, nil, []uint64{1}},
		{"a group that does not fit", []queue.Entry{entry(1, 3, 5, "a"), entry(2, 2, 5, "a"), entry(3, 1, 5, "a")}, nil, []uint64{1, 3}},
		{"what others posted, to a trainer", []queue.Entry{entry(1, 4, -1, ""), entry(2, 4, 5, "a")}, &trainer{}, []uint64{2}},
	} {
		c := consumer{gate: gate, batch: 4, maxLag: 2, trainer: test.trainer}
		var got []uint64
		for _, e := range c.pick(test.waiting) {
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: picked %v, want %v", test.why, got, test.want)
		}
	}
}
