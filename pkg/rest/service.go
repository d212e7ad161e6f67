package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/setting"
)

// Service is a service whose resources are declared with this package.
type Service struct {
	Name, Summary string
	// Peers are the services that this one calls.
	Peers []string
	// Flags declares the settings that are the service's own, if any.
	Flags func(*pflag.FlagSet)
	// Foreign are names of settings of other services that share the environment.
	Foreign []string
	// Sets answers the value sets, as the file at a path amends them; an empty path amends nothing.
	Sets func(path string) (Sets, error)
	// Declare declares the resources on a server. It opens nothing: it also runs where only the declarations are asked
	// for, without a store or peers.
	Declare func(s *Server, deps service.Deps) (Beside, error)
}

// Beside is what a service has beside its resources.
type Beside struct {
	// Internal puts the operations for other services on a router, if there are any.
	Internal func(gin.IRouter)
	// Background answers loops, by name, once the collections are open.
	Background func() (map[string]func(context.Context) error, error)
}

// The settings that every such service has.
const (
	valueSetsFlag    = "value-sets"
	keyRetentionFlag = "key-retention"
)

// Definition answers the service, ready to be run.
func (s Service) Definition() service.Definition {
	var valueSets *string
	var keyRetention *time.Duration
	return service.Definition{
		Name: s.Name, Summary: s.Summary, Foreign: s.Foreign, Peers: s.Peers,
		Flags: func(flags *pflag.FlagSet) {
			valueSets = setting.SharedString(flags, valueSetsFlag,
				"YAML file that replaces or extends value sets; the published ones where not given")
			keyRetention = setting.SharedDuration(flags, keyRetentionFlag,
				"how long an Idempotency-Key is remembered; as long as its record where not given")
			if s.Flags != nil {
				s.Flags(flags)
			}
		},
		New: func(ctx context.Context, deps service.Deps) (*service.Instance, error) {
			return s.open(ctx, deps, *valueSets, *keyRetention)
		},
	}
}

func (s Service) open(ctx context.Context, deps service.Deps, valueSets string, keyRetention time.Duration) (*service.Instance, error) {
	sets, err := s.Sets(valueSets)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", valueSetsFlag, err)
	}
	if keyRetention == 0 {
		deps.Unset(keyRetentionFlag, "an Idempotency-Key is remembered as long as its record")
	}
	server := NewServer(Config{
		Store: deps.Store, Sets: sets, Now: func() time.Time { return deps.Now().UTC() }, KeyRetention: keyRetention,
		Caller: func(ctx context.Context) string { return request.CallerFrom(ctx).Subject },
	})
	beside, err := s.Declare(server, deps)
	if err != nil {
		return nil, err
	}
	if err := server.Open(ctx); err != nil {
		return nil, err
	}
	engine := deps.Engine()
	server.Mount(engine, deps.Guard)
	if beside.Internal != nil {
		beside.Internal(engine.Group("/", deps.Guard))
	}
	instance := &service.Instance{Handler: engine}
	if beside.Background != nil {
		instance.Background, err = beside.Background()
	}
	return instance, err
}

// Routes answers the routes of the service's resources, from their declarations alone.
func (s Service) Routes() ([]Route, []Extension, error) {
	server, err := s.undialled()
	if err != nil {
		return nil, nil, err
	}
	routes, extensions := server.Routes()
	return routes, extensions, nil
}
