package strictjson_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Appender writes the bytes of encoding/json, of types that it knows and of others.
func TestAppender(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	type embedding struct {
		inner
		A int `json:"a"`
	}
	type ring struct {
		Next *ring `json:"next"`
	}
	one := 1
	var a strictjson.Appender
	for _, v := range []any{
		struct {
			Text string    `json:"text"`
			List []string  `json:"list"`
			Grid [][]int   `json:"grid,omitempty"`
			Pair [2]uint16 `json:"pair"`
			Of   inner     `json:"of"`
			To   *int      `json:"to"`
			Nor  *inner    `json:"nor,omitempty"`
			Yes  bool      `json:"yes,omitempty"`
			hid  int
			Out  int `json:"-"`
		}{Text: "<é\u2028\"\n", List: []string{"a", "&"}, Grid: [][]int{{1, -2}, nil, {}}, To: &one, hid: 1},
		struct {
			Text string `json:"text,omitempty"`
			N    int    `json:"n,omitempty"`
			L    []int  `json:"l,omitempty"`
			M    []int  `json:"m"`
		}{L: []int{}},
		struct{}{}, &inner{7}, (*inner)(nil), nil, []inner{{1}, {2}}, embedding{inner{1}, 2}, &ring{&ring{}}, map[string]int{"b": 1, "a": 2},
		struct {
			N json.Number     `json:"n"`
			F float64         `json:"f"`
			B []byte          `json:"b"`
			R json.RawMessage `json:"r"`
			S int             `json:"s,string"`
			U int
		}{"1.50", 0.1, []byte("x"), json.RawMessage(`[1]`), 5, 6},
		&inner{8},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Append([]byte("x"), v); err != nil || string(got) != "x"+string(want) {
			t.Errorf("%T: %s, error %v; want %s", v, got, err, want)
		}
	}
	if got, err := a.Append([]byte("x"), []float64{math.NaN()}); err == nil || string(got) != "x" {
		t.Errorf("NaN: %s, error %v", got, err)
	}
}
