package judge

// A question with a right and a wrong answer, for judges of whether an answer is right.
type question struct{ text, right, wrong string }

// questions are simple: a judge that cannot tell their answers apart is of no use.
func questions() []question {
	return []question{
		{"What is 17 + 25?", "42", "41"},
		{"What is 9 times 12?", "108", "96"},
		{"What is 144 divided by 12?", "12", "14"},
		{"Which number is larger, 9.11 or 9.9?", "9.9 is larger.", "9.11 is larger."},
		{"How many days has a leap year?", "366", "365"},
		{"How many sides has a hexagon?", "Six.", "Eight."},
		{"What is the next prime after 13?", "17", "15"},
		{"Sort the numbers 5, 3, 11 in ascending order.", "3, 5, 11", "11, 3, 5"},
		{"Is 51 a prime? Give a reason.", "No: 51 is 3 times 17.", "Yes: it has no divisors but 1 and itself."},
		{"Write the word \"stone\" backwards.", "enots", "entos"},
		{"How often does the letter r stand in \"strawberry\"?", "3 times", "2 times"},
		{"What is the opposite of \"early\"?", "late", "soon"},
		{"Which planet is the closest to the sun?", "Mercury", "Venus"},
		{"What is the chemical formula of water?", "H2O", "HO2"},
		{"What is the capital of Australia?", "Canberra", "Sydney"},
		{"At what temperature in degrees Celsius does water freeze at sea level?", "At 0 degrees.", "At 32 degrees."},
		{"A train goes 60 km in an hour. How far does it go in 90 minutes?", "90 km", "150 km"},
		{"Tom is older than Ann, and Ann is older than Bea. Who is the youngest?", "Bea is the youngest.", "Ann is the youngest."},
		{"If all bloops are razzies and all razzies are lazzies, are all bloops lazzies?", "Yes.", "No, that does not follow."},
		{"What does the Python expression len(\"abc\" * 2) give?", "6", "5"},
		{"What is the binary number 1010 in decimal?", "10", "12"},
		{"What is the square root of 81?", "9", "8"},
		{"What is 30 percent of 200?", "60", "30"},
		{"Solve 2x + 3 = 11.", "x = 4", "x = 7"},
		{"What is the plural of \"mouse\", the animal?", "mice", "mouses"},
	}
}
