"""A second engine: a thread for each program, a queue for each direction of a link, no clock. It sees only the seam."""

from functools import partial
from queue import SimpleQueue
from threading import Thread

from meshsim.errors import MeshSimError
from meshsim.payload import freeze


class ThreadCpu(Thread):
    """What a program sees, and its thread. An operation is a call that gives the operation's value."""

    def __init__(self, engine, node, program):
        super().__init__()
        self.engine, self.node, self.program = engine, node, program
        self.outputs, self.inputs, self.result = {}, {}, None

    def do(self, kernel, *args):
        return kernel.function(*args)

    def send(self, port, value):
        self.outputs[port].put(freeze(value)[0])  # which never waits
        return lambda: None

    def recv(self, port):
        return partial(self.inputs[port].get, timeout=self.engine.seconds)

    def par(self, *operations):
        return lambda: tuple(operation() for operation in operations)

    def phase(self, name):
        pass

    def run(self):
        value = None
        try:
            steps = self.program(self)
            while True:
                value = steps.send(value)()
        except StopIteration as end:
            self.result = end.value
        except Exception as failure:
            self.engine.failures.append((self.node, failure))


class Threads:
    """An engine. A program that waits longer than some seconds for a message is in a deadlock."""

    def __init__(self, seconds=30.0):
        self.seconds, self.failures = seconds, []

    def run(self, topology, programs):
        cpus = {node: ThreadCpu(self, node, programs.get(node)) for node in topology}
        for _, _, ports in topology.edges(data="ports"):
            (u, u_port), (v, v_port) = ports.items()
            cpus[u].outputs[u_port] = cpus[v].inputs[v_port] = SimpleQueue()
            cpus[v].outputs[v_port] = cpus[u].inputs[u_port] = SimpleQueue()
        for act in (Thread.start, Thread.join):
            for node in programs:
                act(cpus[node])
        for node, failure in self.failures:  # the first is the cause of others
            raise MeshSimError(f"the program of {node} waits for ever, or has failed: {failure!r}") from failure
        return {node: cpus[node].result for node in programs}
