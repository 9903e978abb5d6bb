// The systolic array on SimGrid's s4u: array PLATFORM SIZE STEPS COMPUTE
// prints the seconds that it computed, the time at which it ended, and the sum of what its cells found.
#include <ctime>
#include <iostream>
#include <memory>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <string>

namespace sg4 = simgrid::s4u;

static int size, steps;
static double compute, sum = 0.0;

static sg4::Mailbox* mailbox(char way, int k, int i) {
  return sg4::Mailbox::by_name(way + std::to_string(k) + "-" + std::to_string(i));
}

static void wait(const sg4::CommPtr& communication) {
  if (communication)
    communication->wait();
}

static void cell(int k, int i) {
  sg4::Mailbox* west = i > 1 ? mailbox('e', k, i - 1) : nullptr;
  sg4::Mailbox* north = k > 1 ? mailbox('s', k - 1, i) : nullptr;
  sg4::Mailbox* east = i < size ? mailbox('e', k, i) : nullptr;
  sg4::Mailbox* south = k < size ? mailbox('s', k, i) : nullptr;
  double total = 0.0;
  for (int step = 0; step < steps; step++) {
    double *a = nullptr, *b = nullptr;
    sg4::CommPtr from_west, from_north, to_east, to_south;
    if (west)
      from_west = west->get_async<double>(&a);
    if (north)
      from_north = north->get_async<double>(&b);
    wait(from_west);
    wait(from_north);
    std::unique_ptr<double> owned_a(west ? a : new double(step + k)), owned_b(north ? b : new double(step + i));
    total += *owned_a * *owned_b;
    sg4::this_actor::sleep_for(compute);
    if (east)
      to_east = east->put_async(owned_a.release(), 1);
    if (south)
      to_south = south->put_async(owned_b.release(), 1);
    wait(to_east);
    wait(to_south);
  }
  sum += total;
}

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  size = std::stoi(argv[2]);
  steps = std::stoi(argv[3]);
  compute = std::stod(argv[4]);
  std::clock_t start = std::clock();
  for (int k = 1; k <= size; k++)
    for (int i = 1; i <= size; i++) {
      std::string name = std::to_string(k) + "-" + std::to_string(i);
      sg4::Host* host = sg4::Host::by_name(name);
#if SIMGRID_VERSION >= 40100
      host->add_actor(name, [k, i] { cell(k, i); });
#else
      sg4::Actor::create(name, host, [k, i] { cell(k, i); });
#endif
    }
  engine.run();
  std::cout.precision(17);
  std::cout << double(std::clock() - start) / CLOCKS_PER_SEC << " " << sg4::Engine::get_clock() << " " << sum << "\n";
}
