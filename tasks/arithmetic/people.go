package arithmetic

import "github.com/quintain-rl/quintain/task/rng"

// A person is somebody in a story.
type person struct {
	name   string
	female bool
}

// crowd holds the people of all stories. DO NOT CHANGE THE ORDER: it decides which
// problems a seed gives.
var crowd = [...]person{
	{"Amina", true}, {"Beth", true}, {"Carla", true}, {"Dana", true}, {"Elsa", true}, {"Farida", true}, {"Grace", true}, {"Hanna", true},
	{"Ines", true}, {"Judy", true}, {"Kira", true}, {"Lucy", true}, {"Mei", true}, {"Nora", true}, {"Olive", true}, {"Pia", true},
	{"Rosa", true}, {"Sonia", true}, {"Tessa", true}, {"Vivian", true}, {"Wilma", true}, {"Yara", true}, {"Zoe", true}, {"Ruth", true},
	{"Aaron", false}, {"Boris", false}, {"Colin", false}, {"Dev", false}, {"Emil", false}, {"Frank", false}, {"George", false}, {"Hassan", false},
	{"Ivan", false}, {"Jamal", false}, {"Kofi", false}, {"Leon", false}, {"Marco", false}, {"Nils", false}, {"Oscar", false}, {"Pablo", false},
	{"Quentin", false}, {"Ravi", false}, {"Simon", false}, {"Tom", false}, {"Victor", false}, {"Walter", false}, {"Yusuf", false}, {"Zach", false},
}

// perStory limits the people of a story.
const perStory = 3

// gather draws the people for a number of stories.
func gather(r *rng.Rand, stories int) []person {
	var order [len(crowd)]uint8
	for i := range order {
		order[i] = uint8(i)
	}
	people := make([]person, perStory*stories)
	rng.ToFront(r, order[:], len(people))
	for i := range people {
		people[i] = crowd[order[i]]
	}
	return people
}
