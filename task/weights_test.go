package task_test

import (
	"testing"

	"github.com/quintain-rl/quintain/task"
)

func TestWeighted(t *testing.T) {
	for _, test := range []struct {
		weights []float64
		x       float64
		want    int
	}{
		{[]float64{0.5, 0.5}, 0, 0},
		{[]float64{0.5, 0.5}, 0.5, 1},
		{[]float64{0, 1}, 0, 1},
		{[]float64{1, 0}, 0.9999999, 0},
		{[]float64{0.3, 0.3, 0.399}, 0.9999, 2},
		{[]float64{0.999, 0}, 0.9999, 0},
	} {
		if got := task.Weighted(test.weights, test.x); got != test.want {
			t.Errorf("Weighted(%v, %v) = %d, want %d", test.weights, test.x, got, test.want)
		}
	}
}
