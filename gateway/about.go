package gateway

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	known "insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

// aboutService is the name under which the gateway serves what the exchange says about itself. It is part of the
// gateway, because only the gateway calls all services and knows its own settings.
const aboutService = "about"

// longestAbout is how long a service may take to say what it is.
const longestAbout = 2 * time.Second

// About returns the declarations of the operation with which the exchange says what it is. gateway is what the gateway
// is; it may be empty if only the declarations are asked for.
func About(gateway beyond.AboutProcess) rest.Service {
	return rest.Service{
		Name: aboutService, Summary: "What the exchange is", Storeless: true, Peers: internalapi.Services(),
		Sets: func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) {
			s.Extend(rest.Extension{
				Path: rest.ExtensionPrefix + "/about", Method: http.MethodGet, Optional: true, ID: "readAbout",
				Summary: "The versions of the exchange, and the settings in force that callers notice",
				Details: "Every service is asked, one of its replicas. One that does not respond within 2 s is named in " +
					"`unavailable`; the status is 200 nevertheless.",
				Response: reflect.TypeFor[beyond.About](),
				Serve: func(c *gin.Context, _ any) (any, error) {
					about := ask(c.Request.Context(), deps.Peer)
					about.Processes = append([]beyond.AboutProcess{gateway}, about.Processes...)
					return about, nil
				},
			})
			return rest.Parts{}, nil
		},
	}
}

// ask asks every service what it is.
func ask(ctx context.Context, of func(name string) *peer.Client) beyond.About {
	ctx, cancel := context.WithTimeout(ctx, longestAbout)
	defer cancel()
	names := internalapi.Services()
	processes := make([]beyond.AboutProcess, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		if client := of(name); client != nil {
			asking.Go(func() {
				// What fails is unavailable, whatever the reason.
				processes[i], _, _ = peer.Get[beyond.AboutProcess](ctx, client, internalapi.AboutPath)
			})
		}
	}
	asking.Wait()
	var about beyond.About
	for i, name := range names {
		if processes[i].Name == name {
			about.Processes = append(about.Processes, processes[i])
		} else {
			about.Unavailable = append(about.Unavailable, name)
		}
	}
	return about
}

// own returns what the gateway itself is.
func own(p *process.Process) (beyond.AboutProcess, error) {
	is, err := p.About(internalapi.Gateway,
		[]string{known.RateLimit, known.RateBurst, known.AdminMayRead, known.AmountUnit, known.Currency})
	about := beyond.AboutProcess{Name: is.Name, Version: is.Version, Commit: is.Commit}
	for _, s := range is.Settings {
		about.Settings = append(about.Settings, beyond.AboutSetting(s))
	}
	return about, err
}

// startAbout starts the service in front of the upstreams and returns its handler.
func startAbout(ctx context.Context, p *process.Process, upstreams map[string]Upstream) (http.Handler, error) {
	gateway, err := own(p)
	if err != nil {
		return nil, err
	}
	declared := About(gateway)
	reached := slices.DeleteFunc(declared.Peers, func(name string) bool { return !upstreams[name].reached() })
	return p.Start(ctx, process.Definition{
		Name: declared.Name, Peers: reached,
		New: func(_ context.Context, deps process.Deps) (*process.Instance, error) {
			server, engine := rest.NewServer(rest.Config{Now: deps.Now}), deps.Engine()
			if _, err := declared.Declare(server, deps); err != nil {
				return nil, err
			}
			return &process.Instance{Handler: engine}, server.Mount(engine, deps.Guard)
		},
	}, process.Links{Now: time.Now, Peer: func(name string) (peer.Config, error) {
		to := upstreams[name]
		if to.Handler != nil {
			return peer.Config{Address: "http://" + name, Handler: to.Handler}, nil
		}
		return peer.Config{Address: to.URL.String(), Transport: to.Transport}, nil
	}})
}
