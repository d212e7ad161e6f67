package bsonjson

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
)

// Paths returns the paths that a find has to select for TextOf, of an object that a field holds.
func Paths(field, name string) []string {
	return []string{field + "." + string(appendName(nil, []byte(name))), field + "." + keptName}
}

// TextOf returns the text that a member of an object has; empty if there is no such member, or if its value is no
// text. What the paths do not select may be left out of the object.
func TextOf(object bson.Raw, name string) (string, error) {
	if kept, is := object.Lookup(keptName).StringValueOK(); is {
		return jsonmember.Text([]byte(kept), name)
	}
	text, _ := object.Lookup(string(appendName(nil, []byte(name)))).StringValueOK()
	return text, nil
}
