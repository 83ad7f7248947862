package watch

import (
	"context"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on what is laid out.
const (
	mostRows       = 40
	mostCells      = 40 // of a row
	mostBoardTurns = 500
	mostBest       = 12 // moves
)

// A boardStep is a turn of an episode.
type boardStep struct {
	Episode int
	Turn    int    // from 0 on
	Told    string // messages before the reply; without the board
	Board   [][]string
	Turns   []boardTurn // all of the episode, up to a limit
	Left    int         // further turns
	Summary string      // of the episode; empty: no value is known
}

// A boardTurn is a line of the list of turns.
type boardTurn struct {
	Number int // from 0 on
	*quintain.Turn
	Lost  *exam.TurnRegret // nil: unknown
	First bool             // it is the first blunder
}

// Name is the number for people, from 1 on.
func (t boardTurn) Name() int { return t.Number + 1 }

// Note says what is special about the turn.
func (t boardTurn) Note() string {
	var notes []string
	for _, of := range []struct {
		is   bool
		text string
	}{{t.Malformed, "without a move"}, {t.Illegal, "illegal"}, {t.First, "the first blunder"}, {t.Lost != nil && t.Lost.IsBlunder() && !t.First, "a blunder"}} {
		if of.is {
			notes = append(notes, of.text)
		}
	}
	return strings.Join(notes, ", ")
}

// lostText is what a turn gave away, in words; nil: unknown.
func lostText(t *exam.TurnRegret) string {
	switch {
	case t == nil:
		return ""
	case t.IsBlunder():
		return t.String() + ", a blunder"
	}
	return t.String()
}

// boardOf lays out a turn of an episode; there is none if it is not there.
func boardOf(r *trace.Record, episode, turn int) (s boardStep, there bool) {
	if episode < 0 || episode >= len(r.Episodes) || turn < 0 || turn >= min(mostBoardTurns, len(r.Episodes[episode].Turns)) {
		return s, false
	}
	t := &r.Episodes[episode]
	lost := exam.RegretOf(t)
	s = boardStep{Episode: episode, Turn: turn, Left: max(0, len(t.Turns)-mostBoardTurns)}
	if lost.Play != nil {
		s.Summary = lost.String()
	}
	for k := range t.Turns[:len(t.Turns)-s.Left] {
		s.Turns = append(s.Turns, boardTurn{k, &t.Turns[k], lost.Turns[k], k == lost.Blunder})
	}
	var told []string
	for _, m := range t.Turns[turn].Observed {
		if m.Role != quintain.RoleSystem {
			told = append(told, m.Text())
		}
	}
	s.Told, s.Board = cutBoards(strings.Join(told, "\n\n"))
	return s, true
}

// At is the turn that is laid out.
func (s *boardStep) At() boardTurn { return s.Turns[s.Turn] }

// cutBoards takes the last block of code out of a text, if it is a board: lines of cells with spaces
// between them.
func cutBoards(text string) (rest string, board [][]string) {
	const fence = "```"
	end := strings.LastIndex(text, fence)
	if end < 0 {
		return text, nil
	}
	start := strings.LastIndex(text[:end], fence)
	if start < 0 {
		return text, nil
	}
	width := 0
	for line := range strings.Lines(strings.Trim(text[start+len(fence):end], "\n")) {
		cells := strings.Fields(line)
		width = max(width, len(cells))
		board = append(board, cells)
		if len(board) > mostRows || width > mostCells {
			return text, nil
		}
	}
	if width < 2 {
		return text, nil
	}
	for i, cells := range board {
		if missing := width - len(cells); missing > 1 || missing == 1 && i > 0 && i < len(board)-1 {
			return text, nil // it is no board
		} else if missing == 1 {
			board[i] = append([]string{""}, cells...) // names of columns, beside those of rows
		}
	}
	return strings.TrimSpace(text[:start]) + "\n\n" + strings.TrimSpace(text[end+len(fence):]), board
}

// bestMoves returns the best moves after some turns of p, as by advises; nil: they are not known.
func bestMoves(ctx context.Context, by quintain.Adviser, p quintain.Problem, before []quintain.Turn) []string {
	if by == nil {
		return nil
	}
	var said []quintain.Reply
	for _, t := range before {
		said = append(said, quintain.Reply{Text: t.Reply, ToolCalls: t.ToolCalls, CallFault: t.CallFault, Finish: t.Finish})
	}
	advice, err := by.Advise(ctx, p, said)
	if err != nil {
		return nil
	}
	return moves(advice.Best)
}

// moves are replies without the tags around their moves, a few of them.
func moves(replies []string) (all []string) {
	for _, text := range replies[:min(mostBest, len(replies))] {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(text, "<move>"), "</move>"))
	}
	return all
}
