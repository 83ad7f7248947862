package cards

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/games"
)

// A record from elsewhere that is no start is an error before it is played.
func TestForeignRecordsOfBlackjackAreChecked(t *testing.T) {
	for _, c := range []struct {
		game, old, put string
		level          int
	}{
		{"blackjack_table", `"hands":8,"weights"`, `"hands":80,"weights"`, 0},
		{"blackjack_table", `"weights":[1,`, `"weights":[-1,`, 0},
		{"blackjack_table", `"weights":[1,`, `"weights":[21,`, 0},
		{"blackjack_table", `"weights":[1,1,1,1,1,1,1,1,1,4]`, `"weights":[0,0,0,0,0,0,0,0,0,0]`, 0},
		{"blackjack_table", `"weights":[1,`, `"weights":[1,1,`, 0},
		{"blackjack_table", `"deals":[[`, `"deals":[[1,10,5,5],[`, 0},
		{"blackjack_table", `"deals":[[`, `"deals":[[11`, 0},
		{"blackjack_table", `"deck":[`, `"deck":[5,`, 3},
		{"blackjack_table", `"deck":[`, `"deals":[[1,2,3,4]],"deck":[`, 3},
		{"blackjack_table", `"deck":[`, `"deck":[],"more":[`, 3},
	} {
		scenariotest.Refused(t, Games(), c.game, c.level, c.old, c.put)
	}
}

// Cards are drawn as the solver assumes.
func TestLuckOfBlackjackIsAsTold(t *testing.T) {
	scenariotest.Luck(t, blackjackTable.Game(), 2, func(tables *games.Tables, record quintain.Record) (worth float64, err error) {
		m, err := scenariotest.Begin[blackjack](tables, record)
		s := m.(*sitting)
		_, worth = s.worth() // of the first hand, without naturals
		for _, deal := range s.Deals[1:] {
			worth += s.shoe().dealt(deal[0], deal[1], deal[2], s.Double)[0]
		}
		return 0.5 + worth/float64(4*s.Hands), err
	})
}
