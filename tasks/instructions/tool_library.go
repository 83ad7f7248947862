package instructions

import "strings"

// A toolKind is a tool that requests may be about.
type toolKind struct {
	name, doc string
	asks      [2]string // the beginning of a request
	params    []paramKind
}

// A paramKind is a parameter of a tool, of a sort of values.
type paramKind struct {
	names    [2]string // one is drawn
	sort     string
	doc      string
	says     [2]string // with %v for the value; of truths, the sentences for true and for false
	choices  []string  // of sort choice
	optional bool
}

// The parameters that several tools share.
var (
	dateParam     = paramKind{[2]string{"date", "day"}, "date", "Date", [2]string{"The date is %v.", "It is for %v."}, nil, false}
	timeParam     = paramKind{[2]string{"time", "start"}, "time", "Time of day", [2]string{"The time is %v.", "The time should be %v."}, nil, false}
	durationParam = paramKind{[2]string{"duration", "length"}, "duration", "Duration", [2]string{"It takes %v.", "The duration is %v."}, nil, false}
	fromParam     = paramKind{[2]string{"origin", "from"}, "city", "City of departure", [2]string{"I start in %v.", "The trip begins in %v."}, nil, false}
	toParam       = paramKind{[2]string{"destination", "to"}, "city", "City of arrival", [2]string{"I want to get to %v.", "The trip ends in %v."}, nil, false}
	peopleParam   = paramKind{[2]string{"travellers", "passengers"}, "count", "Number of people", [2]string{"The number of people is %v.", "Reckon with this number of people: %v."}, nil, true}
	noteParam     = paramKind{[2]string{"note", "comment"}, "text", "Note", [2]string{"Add the note %v.", "As a note, write %v."}, nil, true}
	weightParam   = paramKind{[2]string{"weight", "mass"}, "weight", "Weight", [2]string{"The weight is %v.", "It weighs %v."}, nil, false}
	amountParam   = paramKind{[2]string{"amount", "sum"}, "money", "Amount", [2]string{"The amount is %v.", "It comes to %v."}, nil, false}
	productParam  = paramKind{[2]string{"product", "item"}, "text", "Name of the product", [2]string{"The product is called %v.", "Its name in the catalogue is %v."}, nil, false}
	addressParam  = paramKind{[2]string{"address", "deliver_to"}, "address", "Address", [2]string{"The address is %v.", "It goes to %v."}, nil, false}
	roomParam     = paramKind{[2]string{"room", "place"}, "choice", "Room", [2]string{"The room is the %v.", "I mean the %v."}, []string{"kitchen", "bathroom", "bedroom", "office", "hall"}, false}
	personParam   = paramKind{[2]string{"person", "name"}, "person", "First name", [2]string{"The person is called %v.", "The name is %v."}, nil, false}
	guestsParam   = paramKind{[2]string{"guests", "attendees"}, "people", "First names, in the order of the request", [2]string{"Invite %v.", "The guests are %v."}, nil, true}
	notifyParam   = paramKind{[2]string{"notify", "send_message"}, "truth", "Whether people get a message", [2]string{"Send people a message about it.", "Do not send anybody a message about it."}, nil, true}
	heightParam   = paramKind{[2]string{"height", "tallness"}, "size", "Height", [2]string{"The height is %v.", "It is %v high."}, nil, false}
	widthParam    = paramKind{[2]string{"width", "breadth"}, "size", "Width", [2]string{"The width is %v.", "It is %v wide."}, nil, false}
	numberParam   = paramKind{[2]string{"number", "reference"}, "code", "Number of the order or the parcel", [2]string{"The number is %v.", "It has the number %v."}, nil, false}
	urgencyParam  = paramKind{[2]string{"priority", "urgency"}, "choice", "Priority", [2]string{"The priority is %v.", "Give it %v priority."}, []string{"low", "normal", "high"}, true}
	distanceParam = paramKind{[2]string{"distance", "route_length"}, "distance", "Distance", [2]string{"The distance is %v.", "It was %v long."}, nil, false}
)

// titled returns a parameter for a text.
func titled(a, b, doc, says string) paramKind {
	return paramKind{[2]string{a, b}, "text", doc, [2]string{says + " %v.", "For the " + lowered(doc) + ", take the words %v."}, nil, false}
}

// chosen returns a parameter with one of several words.
func chosen(a, b, doc, choices string) paramKind {
	name := strings.ToLower(doc)
	return paramKind{[2]string{a, b}, "choice", doc, [2]string{"The " + name + " is %v.", "Choose %v as the " + name + "."}, strings.Fields(choices), false}
}

// counted returns a parameter with a whole number.
func counted(a, b, doc string) paramKind {
	return paramKind{[2]string{a, b}, "count", doc, [2]string{doc + ": %v.", "For the " + lowered(doc) + ", the figure is %v."}, nil, false}
}

// bodyWeight describes the weight of a person.
const bodyWeight = "Weight of the person"

// lowered returns a description as it stands within a sentence.
func lowered(doc string) string { return strings.ToLower(doc[:1]) + doc[1:] }

// optional returns a parameter that a request may leave out.
func optional(k paramKind) paramKind {
	k.optional = true
	return k
}

// toolLibrary holds the tools that problems draw from.
var toolLibrary = []toolKind{
	{"create_event", "Adds an event to the calendar.", [2]string{"Please put an event into my calendar.", "I need a new event in the calendar."},
		[]paramKind{titled("title", "name", "Title of the event", "Call it"), dateParam, timeParam, durationParam, guestsParam, notifyParam}},
	{"cancel_event", "Removes an event from the calendar.", [2]string{"Please cancel an event in my calendar.", "An event has to be taken out of the calendar."},
		[]paramKind{titled("title", "event", "Title of the event", "Its title is"), dateParam, notifyParam}},
	{"create_reminder", "Reminds the user of something at a given time.", [2]string{"Please remind me of something.", "I must not forget something, so I need a reminder."},
		[]paramKind{titled("text", "about", "Text of the reminder", "The text is"), dateParam, timeParam, urgencyParam}},
	{"search_flights", "Looks for flights.", [2]string{"Please look for a flight.", "Which flights are there?"},
		[]paramKind{fromParam, toParam, dateParam, peopleParam, optional(chosen("cabin", "class", "Cabin", "economy business first"))}},
	{"search_trains", "Looks for train connections.", [2]string{"Please look for a train.", "Find a train connection for me."},
		[]paramKind{fromParam, toParam, dateParam, timeParam, peopleParam, optional(chosen("seat", "seating", "Seat", "window aisle any"))}},
	{"book_hotel", "Books rooms in a hotel.", [2]string{"Please book a hotel.", "I need a place in a hotel."},
		[]paramKind{{[2]string{"city", "town"}, "city", "City", [2]string{"The city is %v.", "It should be in %v."}, nil, false}, dateParam,
			counted("nights", "stay", "Number of nights"), optional(counted("rooms", "room_count", "Number of rooms")),
			{[2]string{"max_price", "limit"}, "money", "Highest price per night", [2]string{"The highest price per night is %v.", "A night may cost %v at most."}, nil, true}}},
	{"send_money", "Sends money to a person.", [2]string{"Please send somebody money.", "I owe somebody money; pay it back for me."},
		[]paramKind{personParam, amountParam, noteParam, {[2]string{"instant", "at_once"}, "truth", "Whether the money arrives at once", [2]string{"It must arrive at once.", "It need not arrive at once."}, nil, true}}},
	{"request_money", "Asks a person for money.", [2]string{"Somebody owes me money; please ask for it.", "Please send somebody a request for money."},
		[]paramKind{personParam, amountParam, {[2]string{"due", "deadline"}, "date", "Last day of payment", [2]string{"The last day of payment is %v.", "It must be paid by %v."}, nil, false}, noteParam}},
	{"set_budget", "Sets how much may be spent on something.", [2]string{"Please set a budget.", "From now on I want a limit for what I spend."},
		[]paramKind{chosen("category", "kind", "Category", "food travel books clothes rent"), amountParam, optional(chosen("period", "every", "Period", "week month year"))}},
	{"set_oven", "Starts the oven.", [2]string{"Please start the oven.", "Turn the oven on."},
		[]paramKind{counted("temperature", "heat", "Temperature in degrees Celsius"), durationParam, optional(chosen("mode", "program", "Mode", "fan grill both"))}},
	{"set_light", "Changes the light in a room.", [2]string{"Please change the light.", "The light should be different."},
		[]paramKind{roomParam, {[2]string{"brightness", "intensity"}, "share", "Brightness", [2]string{"The brightness is %v.", "Set the brightness to %v."}, nil, false},
			optional(chosen("color", "tint", "Color", "white red green blue")), {[2]string{"fade", "transition"}, "duration", "Time that the change takes", [2]string{"The change takes %v.", "Let the change take %v."}, nil, true}}},
	{"set_blinds", "Moves the blinds of a room.", [2]string{"Please move the blinds.", "The blinds should be moved."},
		[]paramKind{roomParam, {[2]string{"closed", "shut"}, "share", "How far the blinds are closed", [2]string{"They should be %v closed.", "Close them to %v."}, nil, false}, timeParam}},
	{"set_timer", "Starts a timer.", [2]string{"Please start a timer.", "I need a timer."},
		[]paramKind{durationParam, {[2]string{"label", "title"}, "text", "Label", [2]string{"Label it %v.", "Give it the label %v."}, nil, true}, optional(counted("repeats", "rounds", "Number of repetitions"))}},
	{"create_order", "Orders a product.", [2]string{"Please order something.", "I would like to buy something."},
		[]paramKind{productParam, counted("quantity", "pieces", "Number of pieces"), addressParam, {[2]string{"gift", "as_gift"}, "truth", "Whether it is wrapped as a gift", [2]string{"Wrap it as a gift.", "It is not to be wrapped as a gift."}, nil, true}, noteParam}},
	{"return_order", "Sends an order back.", [2]string{"Please send an order back.", "I do not want to keep an order."},
		[]paramKind{numberParam, chosen("reason", "why", "Reason", "broken late wrong unwanted"), optional(chosen("refund", "payback", "Refund", "card voucher"))}},
	{"check_shelf", "Looks for shelves of a size in the shop.", [2]string{"Please see whether the shop has a shelf that fits.", "Find out whether there is a shelf of the right size."},
		[]paramKind{heightParam, widthParam, {[2]string{"max_price", "budget"}, "money", "Highest price", [2]string{"The highest price is %v.", "It may cost %v at most."}, nil, true}, optional(chosen("material", "made_of", "Material", "oak pine steel any"))}},
	{"log_run", "Notes a run in the training diary.", [2]string{"I went running; please note it.", "Please add a run to my training diary."},
		[]paramKind{distanceParam, durationParam, dateParam, noteParam}},
	{"log_weight", "Notes the weight of a person in the training diary.", [2]string{"Somebody stepped on the scales; please note it.", "Please enter a person's weight in the diary."},
		[]paramKind{personParam, {weightParam.names, "weight", bodyWeight, [2]string{"The weight is %v.", "The scales show %v."}, nil, false}, dateParam}},
	{"ship_parcel", "Sends a parcel.", [2]string{"Please send a parcel.", "A parcel has to be sent."},
		[]paramKind{weightParam, heightParam, widthParam, addressParam, {[2]string{"insurance", "insured"}, "money", "Insured value", [2]string{"The insured value is %v.", "Insure it for %v."}, nil, true}, {[2]string{"express", "fast"}, "truth", "Whether it goes by express", [2]string{"It goes by express.", "It does not go by express."}, nil, true}}},
	{"track_parcel", "Says where a parcel is.", [2]string{"Please find out where a parcel is.", "Where is my parcel?"},
		[]paramKind{numberParam, {[2]string{"language", "locale"}, "choice", "Language of the reply", [2]string{"The reply should be in %v.", "Tell me in %v."}, []string{"English", "French", "German", "Spanish"}, true}}},
}

// Values of parameters.
var (
	cityNames   = strings.Fields("Athens Berlin Bern Bremen Cairo Dover Dublin Geneva Krakow Leeds Lima Lisbon Lyon Madrid Milan Oslo Paris Porto Prague Quito Riga Rome Seville Sofia Turin Vienna Warsaw York Zurich")
	firstNames  = strings.Fields("Adam Alice Amir Anna Ben Carla Clara David Elena Emma Felix Fatima Grace Hana Henry Ida Ivan Jonas Julia Karim Laura Leo Lena Maria Max Mina Nina Noah Olga Oscar Paula Peter Rosa Ruth Sam Sara Tara Tom Vera Viktor")
	streetNames = []string{"Mill Lane", "Station Road", "Park Street", "High Street", "Church Road", "Bridge Street", "Garden Road", "King Street", "Lake View", "Hill Road"}
	textWords   = strings.Fields("blue old new small round quiet early second last green simple warm red first long north garden river paper copper winter market silver summer")
	textNouns   = strings.Fields("notebook lamp meeting dinner lesson concert lunch bicycle teapot jacket visit review walk chair clock ladder basket bottle workshop rehearsal")
	monthNames  = strings.Fields("January February March April May June July August September October November December")
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
)
