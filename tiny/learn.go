package tiny
