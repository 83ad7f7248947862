package words

// givenNames are the names of people; no two sound alike.
var givenNames = [...]string{
	"Abena", "Adrian", "Agnes", "Ahmed", "Aiko", "Alba", "Albert", "Alejandra", "Alfred", "Alice", "Alina", "Amara", "Amelia", "Amir", "Anders", "Andrea", "Angus", "Anita", "Antonio", "Anwar",
	"Arjun", "Arthur", "Astrid", "Audrey", "Aurora", "Axel", "Ayesha", "Barbara", "Bartek", "Beatrice", "Benjamin", "Bernard", "Bianca", "Bilal", "Birgit", "Bogdan", "Boris", "Brenda", "Bridget", "Bruno",
	"Camille", "Carlos", "Carmen", "Cecilia", "Cedric", "Chiara", "Chidi", "Chloe", "Clara", "Claude", "Colette", "Conrad", "Cosima", "Cyrus", "Dagmar", "Daisuke", "Dalia", "Daphne", "Darius", "David",
	"Deborah", "Delia", "Diego", "Dieter", "Dina", "Dmitri", "Dolores", "Dorian", "Dorothy", "Duncan", "Edgar", "Edith", "Eduardo", "Eileen", "Ekaterina", "Elena", "Elias", "Elif", "Elmar", "Eloise",
	"Elvira", "Emeka", "Emil", "Emma", "Enzo", "Erica", "Ernst", "Esperanza", "Esther", "Eugene", "Eva", "Fabian", "Farah", "Fatima", "Felix", "Ferdinand", "Fiona", "Flavia", "Florian", "Frances",
	"Frederik", "Freya", "Gabriel", "Galina", "Gareth", "Gemma", "Georgia", "Gerald", "Giles", "Gita", "Gloria", "Goran", "Greta", "Gudrun", "Guillermo", "Gustav", "Hakim", "Hannah", "Harold", "Harriet",
	"Hassan", "Hector", "Hedwig", "Helga", "Henrik", "Hilda", "Hiroshi", "Horace", "Hugo", "Ibrahim", "Ida", "Ignacio", "Igor", "Imani", "Imogen", "Ingrid", "Irene", "Iris", "Isaac", "Isabel",
	"Ivan", "Ivy", "Jacob", "Jamila", "Janek", "Jasmine", "Javier", "Jelena", "Jens", "Jerome", "Joanna", "Jonas", "Jorge", "Josephine", "Judith", "Julian", "Jun", "Kamal", "Karim", "Katja",
	"Keiko", "Kenji", "Kerstin", "Khadija", "Kofi", "Kurt", "Laila", "Lars", "Laura", "Leandro", "Leila", "Lena", "Leopold", "Lidia", "Liam", "Linnea", "Lorenzo", "Lothar", "Louise", "Lucas",
	"Lucia", "Ludwig", "Luisa", "Lydia", "Magnus", "Malik", "Manuel", "Marcel", "Margaret", "Mariana", "Martin", "Mateo", "Matilda", "Maurice", "Maya", "Mehmet", "Meera", "Mercedes", "Michael", "Miguel",
	"Milena", "Mireille", "Miriam", "Mohammed", "Monica", "Morgan", "Muriel", "Nadia", "Naomi", "Natasha", "Nathan", "Neil", "Nicholas", "Nikolai", "Nina", "Noah", "Norman", "Octavia", "Odette", "Olaf",
	"Olga", "Oliver", "Omar", "Oscar", "Osvaldo", "Otto", "Pablo", "Paloma", "Patrick", "Paula", "Pavel", "Penelope", "Petra", "Philip", "Pierre", "Priya", "Quentin", "Rachel", "Rafael", "Rajesh",
	"Ramona", "Ravi", "Rebecca", "Reinhard", "Renata", "Ricardo", "Robert", "Rodrigo", "Roland", "Rosalind", "Rosa", "Rufus", "Ruth", "Sabine", "Salma", "Samuel", "Sandra", "Santiago", "Sara", "Selma",
	"Serena", "Sergio", "Shirin", "Sigrid", "Silvia", "Simon", "Sofia", "Solomon", "Stefan", "Stella", "Sunita", "Susan", "Sven", "Sylvester", "Takeshi", "Tamara", "Tariq", "Tatiana", "Teresa", "Theodore",
	"Thomas", "Tiago", "Tobias", "Tomoko", "Ulrich", "Uma", "Ursula", "Valentina", "Vanessa", "Vera", "Victor", "Viktoria", "Vincent", "Viola", "Vladimir", "Walter", "Wanda", "Wendy", "Wilhelm", "Winifred",
	"Xavier", "Ximena", "Yannick", "Yara", "Yasmin", "Yolanda", "Yuki", "Yusuf", "Yvonne", "Zachary", "Zainab", "Zelda", "Zoltan", "Zora", "Zuzana",
}

// feelings are the possible attitudes to a thing.
var feelings = []string{
	"adores", "appreciates", "avoids", "can do without", "cannot get enough of", "cannot stand", "cares about", "dislikes", "dreams of", "enjoys", "envies people with", "feels nothing about",
	"gets bored by", "gets nervous about", "has doubts about", "has had enough of", "has no opinion on", "hates", "is afraid of", "is amused by", "is curious about", "is fond of", "is proud of", "is puzzled by",
	"is tired of", "is used to", "jokes about", "knows a lot about", "likes", "likes to talk about", "longs for", "looks forward to", "loves", "makes fun of", "misses", "never thinks about",
	"pays no attention to", "prefers to ignore", "puts up with", "recommends", "sings about", "sneers at", "speaks highly of", "spends money on", "swears by", "warns others about", "wishes for more", "worries about",
}

// things are the objects of feelings.
var things = []string{
	"accordion music", "airports", "almond cake", "antique clocks", "apple juice", "archery", "autumn leaves", "badminton", "baking bread", "ballet", "bamboo furniture", "bird watching", "black coffee", "board games", "boat trips", "bright colors",
	"bus rides", "butterflies", "camping in the rain", "candlelight", "card tricks", "cartoons", "castles", "cave paintings", "cherry trees", "chess problems", "chili peppers", "church bells", "city parks", "clay pots", "cloudy mornings", "cold showers",
	"comic books", "cooking for guests", "country roads", "crossword puzzles", "crowded markets", "dark chocolate", "deep snow", "desert sunsets", "detective stories", "diving", "dogs", "drawing maps", "drum solos", "early trains", "electric cars", "empty beaches",
	"fairy tales", "family dinners", "ferries", "fireworks", "fishing", "flea markets", "fog", "folk dances", "football matches", "fountain pens", "fresh mint", "garlic soup", "ghost stories", "glaciers", "goats", "gold jewelry",
	"grape jam", "growing tomatoes", "guitar lessons", "haircuts", "hand-knitted socks", "harbors", "heavy rain", "hiking alone", "historical films", "hot springs", "houseplants", "hummingbirds", "ice skating", "iced tea", "insects", "jazz",
	"juggling", "kayaks", "kite festivals", "lavender", "lemon ice cream", "letters by hand", "libraries", "lighthouses", "long novels", "long walks", "loud neighbors", "mango pickles", "marble statues", "marathon races", "mathematics", "meteor showers",
	"mirrors", "modern art", "morning exercise", "mountain passes", "museums", "mushrooms", "night shifts", "oak forests", "old bridges", "old photographs", "onion rings", "opera", "origami", "owls", "painting fences", "paper lanterns",
	"parrots", "peanut butter", "pen pals", "philosophy", "piano concertos", "picnics", "planetariums", "podcasts", "poetry", "pottery", "public speaking", "pumpkin pie", "puppet shows", "quiet evenings", "rainbows", "repairing bicycles",
	"rice pudding", "riddles", "river rafting", "road trips", "rock climbing", "roller coasters", "roses", "running uphill", "sailing", "salted caramel", "sandcastles", "scary movies", "science fairs", "sea urchins", "sewing", "shadow puppets",
	"shopping malls", "silk scarves", "singing in a choir", "skyscrapers", "snowball fights", "spiders", "spring cleaning", "stamps", "stand-up comedy", "steam engines", "street music", "submarines", "sunflowers", "surprise parties", "swimming in lakes", "table tennis",
	"talent shows", "tango", "tea ceremonies", "thunder", "toy trains", "trampolines", "tree houses", "trumpets", "tulips", "typewriters", "umbrellas", "vegetable gardens", "video calls", "vinyl records", "violins", "volcanoes",
	"waffles", "washing dishes", "watercolors", "waterfalls", "weather reports", "weddings", "whales", "wild horses", "wind turbines", "winter holidays", "wooden toys", "word games", "yellow raincoats", "yoga", "zebras", "zoos",
}
