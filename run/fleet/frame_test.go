package fleet

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// framed is a finish with lists of all kinds.
func framed() Finish {
	return Finish{Instance: name(1), Again: true, Drop: "infra_failed", Episodes: []quintain.Trajectory{
		{ID: "a#0", Outcome: quintain.Scored, Turns: []quintain.Turn{
			{Reply: "hi", Read: []quintain.Token{1, 2, 1 << 30}, Wrote: []quintain.Token{5, 6}, LogProbs: []float32{-0.25, -1e-30}, Versions: []int32{7, 7}, Reward: 0.5},
			{Reply: "ho", Wrote: []quintain.Token{8, 9}, Versions: []int32{-1, 8}},
		}},
		{ID: "a#1", Outcome: quintain.InfraFailed, Error: "down"},
		{ID: "a#2", Turns: []quintain.Turn{{Read: []quintain.Token{}, Wrote: []quintain.Token{}, LogProbs: []float32{}, Versions: []int32{}}}},
	}}
}

func TestAFrameComesBackWhole(t *testing.T) {
	want := framed()
	b, err := AppendFrame(nil, &want)
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Episodes[0].Turns[0].Wrote) != 2 {
		t.Error("the finish was changed")
	}
	if got, err := ReadFrame(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v; error %v", got, want, err)
	}
}

func TestADamagedFrameIsRefused(t *testing.T) {
	f := framed()
	whole, err := AppendFrame(nil, &f)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := ReadFrame(whole[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are taken for a finish", n, len(whole))
		}
	}
	if _, err := ReadFrame(append(whole, 0)); err == nil || !strings.Contains(err.Error(), "1 bytes follow") {
		t.Errorf("a byte more: error %v", err)
	}
	huge := binary.LittleEndian.AppendUint32(nil, 0)
	huge = append(huge, []byte(`{"episodes":[{"turns":[{}]}]}`)...)
	binary.LittleEndian.PutUint32(huge, uint32(len(huge)-4))
	huge = binary.LittleEndian.AppendUint32(huge, alike-1)
	if _, err := ReadFrame(huge); err == nil || !strings.Contains(err.Error(), "too early") {
		t.Errorf("a list of 16 GB: error %v", err)
	}
}

func FuzzFrame(f *testing.F) {
	of := framed()
	whole, err := AppendFrame(nil, &of)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadFrame(b)
		if err != nil {
			return
		}
		again, err := AppendFrame(nil, &got)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ReadFrame(again); err != nil || fmt.Sprint(back) != fmt.Sprint(got) { // text, because of NaN
			t.Errorf("error %v; %+v comes back as %+v", err, got, back)
		}
	})
}

// BenchmarkFinish reads a finish of eight episodes of 64 tokens, as JSON and as a frame.
func BenchmarkFinish(b *testing.B) {
	for _, tokens := range []int{64, 2000} {
		f := Finish{Instance: name(1)}
		for i := range 8 {
			t := quintain.Turn{Reply: strings.Repeat("word", tokens)}
			for k := range tokens {
				t.Read, t.Wrote = append(t.Read, quintain.Token(7*k)), append(t.Wrote, quintain.Token(100+7919*(k+i)%50_000))
				t.LogProbs, t.Versions = append(t.LogProbs, -float32((k*k+i)%97)/13), append(t.Versions, 3)
			}
			f.Episodes = append(f.Episodes, quintain.Trajectory{Turns: []quintain.Turn{t}})
		}
		frame, err := AppendFrame(nil, &f)
		if err != nil {
			b.Fatal(err)
		}
		text, err := json.Marshal(f)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("frame/", tokens), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			for b.Loop() {
				if _, err := ReadFrame(frame); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("json/", tokens), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := readJSON[Finish](text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
