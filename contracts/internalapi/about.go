package internalapi

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/beyond"
)

// AboutPath is an operation of every service: GET: beyond.AboutProcess.
const AboutPath = Prefix + "/about"

// about is the operation that every service offers. An older release responds with 404, as to every unknown path.
func about() Operation {
	return Operation{
		Method: http.MethodGet, Path: AboutPath, ID: "readAbout",
		Summary: "Read what the service is, and the settings in force that callers notice",
		Returns: reflect.TypeFor[beyond.AboutProcess](),
	}
}
