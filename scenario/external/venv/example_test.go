package venv_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/scenario/external/venv"
)

func Example() {
	peer, _ := venv.Find("textarena")
	fmt.Println(peer.Versions(), "on Python", peer.Python)
	fmt.Println(&venv.MissingError{Wish: venv.Wish{Scheme: "textarena", Packages: []string{"nltk==3.9"}}, Address: "textarena:Hangman-v0"})
	// Output:
	// textarena 0.7.4 on Python >=3.10,<3.14
	// textarena is not installed here: quintain environments install textarena:Hangman-v0 --with environment.packages=nltk==3.9
}
