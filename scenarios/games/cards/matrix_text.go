package cards

import (
	"fmt"
	"strings"
)

// Rules implements [games.Start].
func (s matrices) Rules(wording int) string {
	if len(s.Members) == 0 {
		return fmt.Sprintf([]string{
			"You play a zero-sum game given by a matrix. You choose a row and your opponent a column, both named by the letters %[1]s; the number there is what you gain and your opponent loses. " +
				"You may leave your choice to chance: your move is a mix, with a weight for each row that you may play. Your opponent knows your mix, but not which row comes up, and answers with the column " +
				"that is best against it. Your result is what you gain on average. There are %[2]d matrices, and each asks for one mix. %[3]s",
			"In each of %[2]d games, a matrix tells what you gain, and your opponent loses, when you play a row and your opponent a column (%[1]s). You do not choose a single row: you say how often you play each. " +
				"Your opponent learns these shares before choosing the column that is worst for you. What counts is your average gain. %[3]s",
			"There are %[2]d matrices of a zero-sum game. The rows (%[1]s) are your moves, the columns your opponent's, and each entry is your gain, which your opponent loses. For each matrix, give a mix of rows, " +
				"from which your row is drawn. Your opponent sees the mix, not the draw, and plays the best column against it; you get the average gain. %[3]s",
		}[wording], s.letters(), s.Rounds, weights)
	}
	return s.rounds(wording) + " " + s.family()
}

// weights tells what a mix looks like.
const weights = "Weights are numbers such as 3 or 0.25, and only their ratios count: A 1, B 3 plays A with a chance of 1/4 and B with 3/4. Rows without a weight are not played."

// letters tells the names of rows and columns.
func (s matrices) letters() string {
	if size := len(s.Pay[0]); size > 2 {
		return fmt.Sprintf("A to %c", 'A'+size-1)
	}
	return "A and B"
}

// names are the same, one by one.
func (s matrices) names() []string { return strings.Split("ABCDE"[:len(s.Pay[0])], "") }

// rounds tells the rules of a match of single moves.
func (s matrices) rounds(wording int) string {
	return fmt.Sprintf([]string{
		"You play %[2]d rounds of a zero-sum game given by a matrix. In each round, you choose a row and your opponent a column, both at once; your moves and your opponent's are the letters %[1]s. " +
			"The number in your row and your opponent's column is what you win, and your opponent loses.",
		"A game of %[2]d rounds: each time, you and your opponent choose a letter (%[1]s) at the same moment. Yours is a row of the matrix, your opponent's a column; the entry there is your gain and your opponent's loss.",
		"In each of %[2]d rounds, both players name a letter (%[1]s) without knowing the other's choice. The matrix tells what you win: look up your letter in the rows and your opponent's in the columns. What you win, " +
			"your opponent loses.",
	}[wording], s.letters(), s.Rounds)
}

// family tells what the opponent may be.
func (s matrices) family() string {
	var b strings.Builder
	if len(s.Members) == 1 {
		b.WriteString("Your opponent always plays like this:")
	} else {
		b.WriteString("Your opponent is one of these, each with the same chance, and stays the same in all rounds:")
	}
	for i, m := range s.Members {
		fmt.Fprintf(&b, "\n%d. It %s.", i+1, m.describe(len(s.Pay[0])))
	}
	return b.String()
}

// describe tells how a member plays.
func (m member) describe(size int) string {
	begin := fmt.Sprintf("plays %c in the first round, and then ", 'A'+m.Move)
	switch m.Kind {
	case "repeats":
		return fmt.Sprintf("plays %c in every round", 'A'+m.Move)
	case "cycles":
		var order []string
		for i := range size {
			order = append(order, string(rune('A'+(m.Move+i)%size)))
		}
		return "plays " + strings.Join(order, ", ") + " in turn, again and again"
	case "copies":
		return begin + "the letter that you played last"
	case "follows":
		return begin + fmt.Sprintf("the letter after the one that you played last, which is A after %c", 'A'+size-1)
	case "answers":
		return begin + "the best answer to what you played last; if there are several, the first of them"
	}
	var shares []string
	for i, p := range m.Percent {
		if p > 0 {
			shares = append(shares, fmt.Sprintf("%c with a chance of %d %%", 'A'+i, p))
		}
	}
	return "draws each move anew: " + strings.Join(shares, ", ")
}
