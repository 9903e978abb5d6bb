"""Random programs placed on random small networks, from a seed: few ticks and many noughts, so that ties are common."""

from itertools import permutations
from random import Random

import networkx as nx
from tools.engine import do, par, recv, send
from tools.placed import Costs, Net, PlacedCase

from meshsim.machine import DISCIPLINES, DUPLEX, SETUPS

SWITCHING = ("store-and-forward", "cut-through")
COST = (0, 0, 0, 1, 1, 2, 3, 5)


def placed_case(seed, **fixed):
    """The case of a seed. Some costs may be given; the others are drawn."""
    random = Random(seed)
    programs = random_programs(random)
    net = random_net(random)
    places = [node for node in net.nodes if node not in net.switches]
    used = random.sample(places, max(random.randint(1, len(places)) for _ in range(2)))
    placement = {name: random.choice(used) for name in programs}
    return PlacedCase(programs, net, placement, random_costs(random, net, fixed))


def random_programs(random):
    """Programs that take their own parts of one list of messages and computes: in that order nothing deadlocks."""
    names = [f"p{i}" for i in range(random.randint(2, 6))]
    random.shuffle(names)
    programs = {name: [] for name in names}
    ways = random.sample([*permutations(names, 2)], random.randint(1, min(8, len(names) * (len(names) - 1))))
    for _ in range(random.randint(3, 20)):
        if random.random() < 0.3:
            programs[random.choice(names)].append(do(random.choice(COST)))
        else:
            sender, receiver = random.choice(ways)
            programs[sender].append(send(receiver, random.randint(1, 3)))
            programs[receiver].append(recv(sender))
    joining = random.choice([0, 0.3, 0.7])
    return {name: joined(random, steps, joining) for name, steps in programs.items()}


def joined(random, steps, chance):
    """Some communications that follow one another become one par, as long as no port is used twice the same way."""
    taken = []
    for step in steps:
        last = taken[-1] if taken else [do(0)]
        fits = "compute" not in (step[0], last[0][0]) and step[:2] not in [part[:2] for part in last]
        if fits and random.random() < chance:
            last.append(step)
        else:
            taken.append([step])
    return [parts[0] if len(parts) == 1 else par(*parts) for parts in taken]


def random_net(random):
    """A pipeline, ring, mesh, bus or star with a switch element as its centre; some links have costs of their own."""
    kind = random.choice(["pipeline", "ring", "mesh", "mesh", "bus", "star"])
    size = random.randint(3, 6)
    switches = frozenset()
    if kind == "pipeline":
        graph = nx.path_graph(size)
    elif kind == "ring":
        graph = nx.cycle_graph(size)
    elif kind == "mesh":
        graph = nx.grid_2d_graph(2, random.randint(2, 3))
    elif kind == "bus":
        graph = nx.complete_graph(size)
    else:
        graph, switches = nx.star_graph(size), frozenset([0])
    own = random.choice([0, 0, 0.3])
    edges = [(u, v, {"bus": "bus"} if kind == "bus" else {}) for u, v in graph.edges]
    for _, _, data in edges:
        data.update({cost: random.choice(COST[3:]) for cost in ("startup", "per_word", "hop") if random.random() < own})
    return Net(list(graph), edges, random_routes(random, graph, switches), switches)


def random_routes(random, graph, switches):
    """Mostly shortest routes, some roundabout ones."""
    routes = {}
    winding = random.choice([0, 0, 0.4, 1])
    for u, v in permutations([node for node in graph if node not in switches], 2):
        simple = random.random() < winding
        paths = nx.all_simple_paths(graph, u, v) if simple else nx.all_shortest_paths(graph, u, v)
        routes[u, v] = random.choice(sorted(paths))
    return routes


def random_costs(random, net, fixed):
    """A machine's numbers. Every transfer takes a tick at least: see `test_placed_random.py`."""
    routing = random.choice(["router", "router", "processor"])
    switching = SWITCHING[0] if routing == "processor" else random.choice(SWITCHING)
    stored = switching == SWITCHING[0] and not net.switches
    startup = random.choice(COST)
    costs = {
        "discipline": random.choice(DISCIPLINES),
        "startup": startup,
        "per_word": random.randint(0 if stored and startup else 1, 3),
        "buffers": random.randint(1, 3),
        "setups": random.choice(SETUPS),
        "duplex": random.choice(DUPLEX),
        "switching": switching,
        "routing": routing,
        "router_buffers": random.choice([0, 0, 0, 1, 1, 2]),
    }
    rest = ("setup", "receive", "hop", "switch", "local_startup", "local_per_word")
    return Costs(**{**costs, **{name: random.choice(COST) for name in rest}, **fixed})
