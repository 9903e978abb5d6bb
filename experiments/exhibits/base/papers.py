"""The documents behind the exhibits, by the key that exhibits begin with."""

PAPERS = {
    "wong": "D. Wong, Parallel implementation of multibody dynamics for real-time simulation, PhD thesis, Electrical "
    "Engineering, University of British Columbia, May 1991",
    "khan": "W. A. Khan, Distributed dynamics of systems with closed kinematic chains, M.Eng. thesis, Mechanical "
    "Engineering, McGill University, November 2002",
    "ktk": 'W. A. Khan, C. P. Tang and V. N. Krovi, "Modular and distributed forward dynamic simulation of constrained '
    'mechanical systems: a comparative study", Mechanism and Machine Theory; accepted May 2006',
    "saha": 'S. K. Saha, "Recursive dynamics algorithms for serial, parallel, and closed-chain multibody systems", '
    "Indian Institute of Technology Delhi",
    "kordjazi": 'H. Kordjazi and A. Akbarzadeh, "Inverse dynamics of a 3-prismatic-revolute-revolute planar parallel '
    'manipulator using natural orthogonal complement", 2011, doi:10.1243/09596518JSCE1098',
}
"""References as docs/bibliography.md has them."""


def reference(paper: str) -> str:
    """A document in full; of one that is not known, its key."""
    return PAPERS.get(paper, paper)
