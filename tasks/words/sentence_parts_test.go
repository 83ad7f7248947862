package words

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The lists of the main clause and of its companions share no word: exchanged words would
// make another sentence.
func TestSentencePartsShareNoWords(t *testing.T) {
	in := map[string]string{}
	for list, parts := range map[string]string{
		"events": partEvents + "|" + partPerfectEvents, "agents": partAgents, "qualities": partQualities, "manners": partManners,
		"rests": partRests, "deeds": partDeeds, "times": partTimes,
		"phrases": strings.ToLower(partOpeners+"|"+partPerfectOpeners) + "|" + partClosings + "|" + partActiveClosings + "|" + partBareClosings,
	} {
		for word := range strings.FieldsFuncSeq(parts, func(c rune) bool { return c == ' ' || c == '|' }) {
			if other := in[word]; other != "" && other != list {
				t.Errorf("%s is in %s and in %s", word, other, list)
			}
			in[word] = list
		}
	}
}

// sentencesOf returns all sentences with these words: any opening, any closing, and every
// main clause that the rest can form.
func sentencesOf(words []string) []string {
	parts, found := sentences(), map[string]bool{}
	openings := slices.Concat(append(parts.openings[:], []string{""})...)
	closings := slices.Concat(append(parts.closings[bareClosings][:], []string{""})...)
	for _, opening := range openings {
		left, has := without(words, opening, ",")
		if !has {
			continue
		}
		for _, closing := range closings {
			rest, has := without(left, closing, ".")
			if !has {
				continue
			}
			text := mainOf(rest)
			if opening != "" {
				text = opening + ", " + text
			} else {
				text = strings.ToUpper(text[:1]) + text[1:]
			}
			if closing != "" {
				text += ", " + closing
			}
			text += "."
			if slices.Equal(slices.Sorted(strings.FieldsSeq(text)), slices.Sorted(slices.Values(words))) {
				found[text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// without removes the words of a part, the last with an end; has reports whether they are
// all there.
func without(words []string, part, end string) (left []string, has bool) {
	left = slices.Clone(words)
	if part == "" {
		return left, true
	}
	for word := range strings.FieldsSeq(part + end) {
		at := slices.Index(left, word)
		if at < 0 {
			return nil, false
		}
		left = slices.Delete(left, at, at+1)
	}
	return left, true
}

// mainOf makes a main clause from words, ignoring their ends and capitals.
func mainOf(words []string) string {
	var slots [7]string
	lists := [...]string{partQualities, partAgents, partManners, partRests}
	for _, word := range words {
		word = strings.ToLower(strings.Trim(word, ",."))
		for i, list := range lists {
			if slices.Contains(strings.Split(list, "|"), strings.TrimSuffix(word, "s")) || slices.Contains(strings.Split(list, "|"), word) {
				slots[i] = word + " "
			}
		}
		for deed := range strings.SplitSeq(partDeeds, "|") {
			switch fields := strings.Fields(deed); word {
			case fields[0]:
				slots[3] = word + " the "
			case fields[1]:
				slots[4] = word + " "
			case fields[2]:
				slots[5] = word + " "
			}
		}
		if slices.Contains(strings.Split(partTimes, "|"), word) {
			slots[6] = "during the " + word
		}
	}
	text := strings.TrimSpace(strings.Join(slots[:], ""))
	if slices.Contains(words, "the") || slices.Contains(words, "The") {
		text = "the " + text
	}
	return text
}
