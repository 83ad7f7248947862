package puzzles

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

const sendMoreMoney = `{"words_letters":["SEND","MORE"],"result_letters":"MONEY","allow_leading_zero":false,` +
	`"letter_to_digit":{"S":9,"E":5,"N":6,"D":7,"M":1,"O":0,"R":8,"Y":2},"digit_to_letter":{"9":"S"}}`

func TestCryptarithmScore(t *testing.T) {
	score := func(record string) func(string) quintain.Verdict {
		return func(answer string) quintain.Verdict {
			v, err := cryptarithm.Task().Grade(quintain.Problem{Task: "cryptarithm", Instance: quintain.RawRecord([]byte(record))}, answer)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	tasktest.Nears(t, score(sendMoreMoney), []tasktest.Near{
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2", 1, ""},
		{" Y = 2 ,S=09, R=+8,O=0,N=6,M=1,E=5,D=7\n", 1, "in any order, with space"},
		{"D=3,D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2", 0, "two values, as in a second answer"},
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=3", 0, "the sum is not right, and reasoning-gym pays 0.01"},
		{"D=2,E=7,M=0,N=3,O=6,R=8,S=5,Y=9", 0, "MORE begins with zero"},
		{"D=1,E=0,M=1,N=1,O=1,R=1,S=1,Y=1", 0, "digits occur twice"},
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9", 0, "a letter is missing"},
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2,Z=3", 0, "a letter too many"},
		{"D=7,E=5,M=1,N=6,O=10,R=8,S=9,Y=2", 0, "no digit"},
		{"d=7,e=5,m=1,n=6,o=0,r=8,s=9,y=2", 0, "small letters"},
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2,", 1, "a last comma"},
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2=2", 0, ""},
		{"D:7,E:5,M:1,N:6,O:0,R:8,S:9,Y:2", 0, ""},
		{"9567 + 1085 = 10652", 0, ""},
	})
	zero := strings.Replace(sendMoreMoney, `"allow_leading_zero":false,`, `"allow_leading_zero":true,`, 1)
	tasktest.Nears(t, score(zero), []tasktest.Near{
		{"D=7,E=5,M=1,N=6,O=0,R=8,S=9,Y=2", 1, ""},
		{"S=2,E=8,N=1,D=7,M=0,O=3,R=6,Y=5", 1, "2817 + 0368 = 03185"},
		{"D=1,E=0,M=0,N=0,O=0,R=0,S=0,Y=1", 0, "digits occur twice"},
	})
	tasktest.RefusedRecords(t, cryptarithm.Task(), []string{
		`{}`,
		strings.Replace(sendMoreMoney, `"Y":2`, `"Y":3`, 1),
		strings.Replace(sendMoreMoney, `"Y":2`, `"Y":12`, 1),
		strings.Replace(sendMoreMoney, `"Y":2`, `"y":2`, 1),
		strings.Replace(sendMoreMoney, `"SEND"`, `"send"`, 1),
		strings.Replace(sendMoreMoney, `"SEND"`, `""`, 1),
		strings.Replace(sendMoreMoney, `"SEND"`, `"SSSSSSSSSSSSSSSSSSSSSSS"`, 1),
		strings.Replace(sendMoreMoney, `"allow_leading_zero":false`, `"phrasing":99`, 1),
	})
}

// The second solver reads the sum from the prompt, substitutes the digits, and adds up.
func TestCryptarithmSecond(t *testing.T) {
	check := func(item cryptarithmItem, prompt, got string) error {
		digits := map[string]string{}
		var pairs []string
		seen := map[string]bool{}
		for pair := range strings.SplitSeq(got, ",") {
			letter, digit, _ := strings.Cut(pair, "=")
			digits[letter], seen[digit] = digit, true
			pairs = append(pairs, letter, digit)
		}
		if len(seen) != len(digits) || len(digits) != len(item.Letters) {
			return fmt.Errorf("the digits are %s", got)
		}
		sum := int64(0)
		lines := strings.Split(strings.Split(prompt, "\n\n")[1], "\n")
		for i, line := range lines {
			if i == len(lines)-2 {
				continue // the line above the sum
			}
			number := strings.NewReplacer(pairs...).Replace(strings.Trim(line, "+ "))
			v, err := strconv.ParseInt(number, 10, 64)
			if err != nil || number[0] == '0' && strings.Contains(prompt, "No number begins with zero") || len(line) != len(lines[0]) {
				return fmt.Errorf("line %q is %s", line, number)
			}
			if i < len(item.WordValues) && v != item.WordValues[i] {
				return fmt.Errorf("line %q is %d, and the record says %d", line, v, item.WordValues[i])
			}
			if i == len(lines)-1 {
				v = -v
			}
			sum += v
		}
		if sum != 0 || len(lines) != len(item.WordsLetters)+2 {
			return fmt.Errorf("the sum is off by %d", sum)
		}
		return nil
	}
	tasktest.Second(t, cryptarithm.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, cryptarithm.Task(), `{"allow_leading_zero":true,"min_word_length":1,"max_word_length":15,"max_words":100}`), 100, check)
}

func TestCryptarithmKeys(t *testing.T) {
	next := func(text string) string { // shifts every letter by one
		return strings.Map(func(r rune) rune { return 'A' + (r-'A'+1)%26 }, text)
	}
	tasktest.Same(t, cryptarithm.Task(), "the letters are names", func(c *cryptarithmItem) {
		for i, word := range c.WordsLetters {
			c.WordsLetters[i] = next(word)
		}
		c.ResultLetters = next(c.ResultLetters)
		old := c.LetterToDigit
		for i, digit := range old {
			c.LetterToDigit[(i+1)%26] = digit
		}
	})
	tasktest.Variant(t, cryptarithm.Task(), "the words in another order", func(c *cryptarithmItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, c.WordsLetters)
		return nil
	})
	tasktest.Other(t, cryptarithm.Task(), "numbers may begin with zero", func(c *cryptarithmItem) { c.AllowLeadingZero = true })
	tasktest.Translated(t, cryptarithm.Task(), func(solution string, from, to cryptarithmItem) string {
		for order := range permutations(len(from.WordsLetters)) {
			names, old := map[rune]rune{}, ""
			for _, i := range order {
				old += from.WordsLetters[i] + " "
			}
			old += from.ResultLetters
			now := strings.Join(to.WordsLetters, " ") + " " + to.ResultLetters
			for i, r := range old {
				if i < len(now) && names[r] == 0 {
					names[r] = rune(now[i])
				}
			}
			translate := func(text string) string {
				return strings.Map(func(r rune) rune { return cmp.Or(names[r], r) }, text)
			}
			if translate(old) == now {
				return translate(solution)
			}
		}
		return "no order of the words fits"
	})
}

// permutations returns all orders of n things.
func permutations(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		var place func(at int) bool
		place = func(at int) bool {
			if at == n {
				return yield(order)
			}
			for i := at; i < n; i++ {
				order[at], order[i] = order[i], order[at]
				if !place(at + 1) {
					return false
				}
				order[at], order[i] = order[i], order[at]
			}
			return true
		}
		place(0)
	}
}
