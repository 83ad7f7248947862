package duels

import (
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// A record from elsewhere that is no position is an error before it is played.
func TestForeignRecordsAreChecked(t *testing.T) {
	for _, c := range []struct{ game, old, put string }{
		{"k_in_a_row", `"columns":3`, `"columns":30`},
		{"k_in_a_row", `"kind":"normal"`, `"kind":"other"`},
		{"k_in_a_row", `"opponent":"mixed:0.4"`, `"opponent":"mixed:7"`},
		{"connect_small", `"rows":4`, `"rows":40`},
		{"connect_small", `"line":3`, `"line":1`},
		{"connect_small", `"discs":["`, `"discs":["z`},
		{"connect_small", `"discs":["`, `"discs":["xx`},
		{"connect_small", `"discs":["`, `"discs":["xoxo`},
		{"nim_family", `"rule":"nim"`, `"rule":"none"`},
		{"nim_family", `"heaps":[`, `"heaps":[99,`},
		{"nim_family", `"wording":`, `"wording":7`},
		{"chess_endgame", `"at":[`, `"at":[64,`},
		{"chess_endgame", `"at":[`, `"at":[0,0,0],"was":[`},
		{"chess_endgame", `"mate":`, `"mate":3`},
		{"chess_endgame", `"ending":"K`, `"ending":"KK`},
		{"chess_endgame", `"hold":0`, `"hold":3`},
		{"pawn_race", `"kind":"hexapawn"`, `"kind":"chess"`},
		{"pawn_race", `"rows":["bb`, `"rows":["qb`},
		{"pawn_race", `"rows":["bb`, `"rows":["bbb`},
		{"pawn_race", `"rows":["b`, `"rows":["","b`},
		{"pawn_race", `"rows":["b`, `"rows":["w`},
	} {
		scenariotest.Refused(t, Games(), c.game, 0, c.old, c.put)
	}
}
